/** Requirements that no test cites yet. The list only shrinks: requirements.test.ts fails when a cited one stands here. */
export const uncited: readonly string[] = []
