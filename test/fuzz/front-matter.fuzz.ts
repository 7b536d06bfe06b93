import assert from 'node:assert/strict'
import { findFrontmatter } from '../../daemon/src/markdown/frontmatter.ts'
import { readProperties } from '../../daemon/src/markdown/read-properties.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

/** Properties of a note: what is read is plain JSON, and the block is where it says. */
export const target: FuzzTarget = {
  name: 'front-matter',
  input: 'text',
  maxLength: 4 * 1024, // more is parsed off the event loop
  seeds: [
    'title: One\ntags: [a, b]\n',
    'a:\n  - x\n  - y: 1\nb: "q\\u00e9"\n',
    "c: |\n  text\n  more\nd: 'it''s'\n",
    'e: &x {f: 1}\ng: *x\n? h\n: i\n',
  ],
  words: ['? ', '- ', ': ', '&a ', '*a', '!!str ', '<<: ', '[', '{', '|\n ', '>-\n', '"\\', '%YAML 1.1\n', '...\n'],
  call(yaml) {
    const text = `---\n${yaml}\n---\nbody\n`
    const { values } = readProperties(text)
    assert.deepEqual(JSON.parse(JSON.stringify(values)), values)
    const block = findFrontmatter(text)!
    assert.ok(text.startsWith('---', block.yamlEnd) && block.end <= text.length)
  },
}
