import { expect, test } from 'vitest'
import { findMentions } from './find-mentions.ts'

test.each([
  ['Plan', 'a plan\nPlans\nthe [[Plan]] and [Plan](x.md)\n`plan`\nPLAN.', [1, 4, 5]],
  ['C++', 'C++ and c++11', [1]],
  ['同期', 'これは同期です', [1]],
  ['Café', 'one\r\ntwo café', [2]],
  ['x', '---\na: x\n---\ny', []],
  ['x', '```\nx\n```\n\n    x\n\nx', [7]],
  ['x', 'x\n'.repeat(9), [1, 2, 3, 4, 5]],
])('%s', (name, text, lines) => expect(findMentions({ text, names: [name] })).toEqual(lines))
