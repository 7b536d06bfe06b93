import type { Edit } from '@svc/shared/wire/daemon/note-edit.ts'
import { findFrontmatter } from './frontmatter.ts'

// Characters of YAML take this many times as long as characters of Markdown.
const YAML_WEIGHT = 8
// An edit that is not found literally is searched in three folded forms of the text.
const EDIT_WEIGHT = 2

/** About how many characters are processed to parse a note. */
export function costOfNote(text: string): number {
  return text.length + yamlCostOf(text)
}

/** About how many characters are processed to parse a YAML file. */
export function costOfYaml(text: string): number {
  return YAML_WEIGHT * text.length
}

/** About how many characters edits process: each edit may search each of the texts. */
export function costOfEdits(texts: readonly (string | undefined)[], edits: readonly Edit[]): number {
  const written = edits.reduce((sum, edit) => sum + JSON.stringify(edit).length, 0)
  return texts.reduce((sum, text = '') => sum + edits.length * (EDIT_WEIGHT * text.length + yamlCostOf(text)), written)
}

function yamlCostOf(text: string): number {
  const block = findFrontmatter(text)
  return block ? costOfYaml(text.slice(block.yamlStart, block.yamlEnd)) : 0
}
