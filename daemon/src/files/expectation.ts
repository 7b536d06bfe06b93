/** What the writer expects to exist: nothing, one of these versions, anything, or no expectation. */
export type Expectation =
  { kind: 'absent' } | { kind: 'one_of'; baselines: readonly string[] } | { kind: 'any' } | { kind: 'unsaid' }
