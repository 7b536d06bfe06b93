/** First key of the advisory locks that make a claim and a billing reservation of one organization wait for each other. */
export const ORGANIZATION_LOCK = 7_382_001
