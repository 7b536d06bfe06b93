/** What the writer believes to be there: nothing, one of these versions, anything, or it does not say. */
export type Expectation =
  { kind: 'absent' } | { kind: 'one_of'; baselines: readonly string[] } | { kind: 'any' } | { kind: 'unsaid' }
