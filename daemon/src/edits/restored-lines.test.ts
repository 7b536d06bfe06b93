import { expect, test } from 'vitest'
import { restoredLines } from './restored-lines.ts'

const [ann, ben] = [1, 2]

test.each([
  ['a line that stays has no new writer', 'a\nb\n', 'a\nb\n', [], [{ lines: 2, by: undefined }]],
  [
    'a line that comes back has the writer that it had',
    'a\nX\n',
    'a\nb\n',
    [
      {
        text: 'a\nb\n',
        runs: [
          { lines: 1, by: ann },
          { lines: 1, by: ben },
        ],
      },
    ],
    [
      { lines: 1, by: undefined },
      { lines: 1, by: ben },
    ],
  ],
  [
    'the newest earlier text with the line tells',
    '',
    'a\nb\nnew\n',
    [
      { text: 'b\n', runs: [{ lines: 1, by: ben }] },
      { text: 'a\nb\n', runs: [{ lines: 2, by: ann }] },
    ],
    [
      { lines: 1, by: ann },
      { lines: 1, by: ben },
      { lines: 1, by: undefined },
    ],
  ],
  ['nothing is left', 'a\n', '', [{ text: 'a\n', runs: [{ lines: 1, by: ann }] }], []],
])('%s', (_what, now, text, earlier, expected) => expect(restoredLines({ now, text, earlier })).toEqual(expected))
