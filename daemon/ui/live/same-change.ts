import type { ChangeSet, Text } from '@codemirror/state'

/** Whether two changes of a text lead to the same text. */
export const isSameChange = (one: ChangeSet, other: ChangeSet, text: Text): boolean =>
  JSON.stringify(one) === JSON.stringify(other) ||
  (one.length === other.length && one.apply(text).eq(other.apply(text)))
