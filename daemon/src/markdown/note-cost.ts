import type { Edit } from '@svc/shared/wire/daemon.api.ts'
import { findFrontmatter } from './frontmatter.ts'

// Characters of YAML take this many times as long as characters of Markdown.
const YAML_WEIGHT = 8

/** About how many characters parsing a note goes through. */
export function costOfNote(text: string): number {
  return text.length + yamlCostOf(text)
}

/** About how many characters edits go through: each searches the texts that it may be judged by. */
export function costOfEdits(texts: readonly (string | undefined)[], edits: readonly Edit[]): number {
  const written = edits.reduce((sum, edit) => sum + JSON.stringify(edit).length, 0)
  return texts.reduce((sum, text = '') => sum + edits.length * (text.length + yamlCostOf(text)), written)
}

function yamlCostOf(text: string): number {
  const block = findFrontmatter(text)
  return block ? YAML_WEIGHT * (block.yamlEnd - block.yamlStart) : 0
}
