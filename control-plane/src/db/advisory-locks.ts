// The first keys of all advisory locks of this database. No two may be equal.

/** Makes a claim and a billing reservation of one organization wait for each other. */
export const ORGANIZATION_LOCK = 7_382_001

/** Held by every executor that lives. */
export const EXECUTOR_LOCK = 7_382_002

/** Held by the only replica of an installation without Redis. */
export const REPLICA_LOCK = 7_382_003
