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

/** The cost of edits: each edit may search each of the texts, and the properties are read once more at both ends. */
export function costOfEdits(texts: readonly (string | undefined)[], edits: readonly Edit[]): number {
  const written = writtenBy(edits)
  const properties = edits.filter((edit) => 'property' in edit)
  const added = YAML_WEIGHT * writtenBy(properties)
  return texts.reduce((sum, text = '') => {
    const reads = properties.length === 0 ? 0 : (properties.length + 2) * (yamlCostOf(text) + added)
    return sum + edits.length * EDIT_WEIGHT * text.length + reads
  }, written)
}

const writtenBy = (edits: readonly Edit[]): number => edits.reduce((sum, edit) => sum + JSON.stringify(edit).length, 0)

function yamlCostOf(text: string): number {
  const block = findFrontmatter(text)
  return block ? costOfYaml(text.slice(block.yamlStart, block.yamlEnd)) : 0
}
