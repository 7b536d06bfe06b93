import assert from 'node:assert/strict'
import { findFrontmatter } from '../../daemon/src/markdown/frontmatter.ts'
import { costOfNote } from '../../daemon/src/markdown/note-cost.ts'
import { readProperties } from '../../daemon/src/markdown/read-properties.ts'
import { MAX_ON_LOOP } from '../../daemon/src/note-jobs/run-note-job.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

const noteOf = (yaml: string) => `---\n${yaml}\n---\nbody\n`

/** Properties of a note: what is read is plain JSON, and the block is where it says. */
export const target: FuzzTarget = {
  name: 'front-matter',
  input: 'text',
  seeds: [
    'title: One\ntags: [a, b]\n',
    'a:\n  - x\n  - y: 1\nb: "q\\u00e9"\n',
    "c: |\n  text\n  more\nd: 'it''s'\n",
    'e: &x {f: 1}\ng: *x\n? h\n: i\n',
  ],
  words: ['? ', '- ', ': ', '&a ', '*a', '!!str ', '<<: ', '[', '{', '|\n ', '>-\n', '"\\', '%YAML 1.1\n', '...\n'],
  isOffLoop: (yaml) => costOfNote(noteOf(yaml)) > MAX_ON_LOOP,
  call(yaml) {
    const text = noteOf(yaml)
    const { values } = readProperties(text)
    assert.deepEqual(JSON.parse(JSON.stringify(values)), values)
    const block = findFrontmatter(text)!
    assert.ok(text.startsWith('---', block.yamlEnd) && block.end <= text.length)
  },
}
