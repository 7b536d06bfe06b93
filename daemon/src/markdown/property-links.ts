import { isScalar, visit } from 'yaml'
import { parseLimitedYaml } from './limited-yaml.ts'
import { findFrontmatter } from './frontmatter.ts'
import { scanLinks, type ScannedLink } from './scan-links.ts'

/** The wiki links in the texts of a note's properties. Brackets outside a string are a YAML list, not a link. */
export function propertyLinks(text: string): ScannedLink[] {
  const block = findFrontmatter(text)
  if (!block) return []
  const source = text.slice(block.yamlStart, block.yamlEnd)
  if (!source.includes('[[')) return []
  const yaml = parseLimitedYaml(source)
  if (yaml.kind === 'refused') return []

  const links: ScannedLink[] = []
  visit(yaml.document, {
    Scalar(key, node) {
      if (key === 'key' || !isScalar(node) || typeof node.value !== 'string' || !node.range) return
      const [start, end] = node.range
      const found = scanLinks(text, block.yamlStart + start, block.yamlStart + end)
      links.push(...found.filter(({ kind }) => kind === 'wiki'))
    },
  })
  return links
}
