// The first numbers of all advisory locks in this database. They must differ.

/** Makes a claim and a billing reservation of one organization wait for each other. */
export const ORGANIZATION_LOCK = 7_382_001

/** Held by every running executor. */
export const EXECUTOR_LOCK = 7_382_002

/** Held by the only replica of an installation without Redis. */
export const REPLICA_LOCK = 7_382_003

/** Held by every change of the members and invitations of one organization. */
export const MEMBERS_LOCK = 7_382_004
