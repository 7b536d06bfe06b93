import assert from 'node:assert/strict'
import { costOfYaml } from '../../daemon/src/markdown/note-cost.ts'
import { MAX_ON_LOOP } from '../../daemon/src/note-jobs/run-note-job.ts'
import { parseLimitedYaml, yamlLimits } from '../../daemon/src/markdown/limited-yaml.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

/** YAML files of a vault such as folders.yml: a parsed value keeps to the limits. */
export const target: FuzzTarget = {
  name: 'yaml-folders',
  input: 'text',
  isOffLoop: (text) => costOfYaml(text) > MAX_ON_LOOP,
  seeds: ['folders:\n  - path: notes\n    name: Notes\n    order: 1\n', 'notes: { name: "N", order: [a, b] }\n', ''],
  words: ['? ', '- ', ': ', '&a ', '*a', '[', '{', ', ', '|\n ', '!<x> ', '#', '\t', '--- ', '...\n'],
  call(text) {
    const parsed = parseLimitedYaml(text)
    if (parsed.kind === 'parsed')
      assert.ok(JSON.stringify(parsed.value).length <= 16 * yamlLimits.characters + 16 * yamlLimits.values)
  },
}
