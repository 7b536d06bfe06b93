import { findFrontmatter } from './frontmatter.ts'
import { parseLimitedYaml, type YamlRefusal } from './limited-yaml.ts'
import { readPlainYaml } from './plain-yaml.ts'

/** The properties of a note; `problem` says why a block that looks like properties is served as text. */
export type NoteProperties = { values: Record<string, unknown>; problem?: YamlRefusal }

/** The properties of a note. A block that cannot be parsed has none: it stays text and is never repaired. */
export function readProperties(text: string): NoteProperties {
  const block = findFrontmatter(text)
  if (!block) return { values: {} }
  const source = text.slice(block.yamlStart, block.yamlEnd)
  const plain = readPlainYaml(source)
  if (plain) return { values: plain }
  const yaml = parseLimitedYaml(source)
  if (yaml.kind === 'refused') return { values: {}, problem: yaml.reason }
  return { values: isMap(yaml.value) ? yaml.value : {} }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
