import type { Edit } from '@svc/shared/wire/daemon/note-edit.ts'
import { findFrontmatter } from './frontmatter.ts'

// Costs are in characters of the slowest job. A parser of Markdown takes at most half as long for a character, but two
// of them may read the same note. A parser of YAML takes at most eight times as long.
const MARKDOWN_WEIGHT = 0.6
const YAML_WEIGHT = 8
// An edit that is not found literally is searched in three folded forms of the text.
const EDIT_WEIGHT = 2

/** The cost of parsing a note. */
export function costOfNote(text: string): number {
  return MARKDOWN_WEIGHT * text.length + yamlCostOf(text)
}

/** The cost of parsing a YAML file. */
export function costOfYaml(text: string): number {
  return YAML_WEIGHT * text.length
}

/** The cost of edits: each edit may search each of the texts. */
export function costOfEdits(texts: readonly (string | undefined)[], edits: readonly Edit[]): number {
  const written = edits.reduce((sum, edit) => sum + JSON.stringify(edit).length, 0)
  return texts.reduce((sum, text = '') => sum + edits.length * (EDIT_WEIGHT * text.length + yamlCostOf(text)), written)
}

function yamlCostOf(text: string): number {
  const block = findFrontmatter(text)
  return block ? costOfYaml(text.slice(block.yamlStart, block.yamlEnd)) : 0
}
