import { addressTarget, wikiTarget, type LinkTarget } from './link-target.ts'
import { proseBlocks } from './prose-blocks.ts'
import { propertyLinks } from './property-links.ts'
import { scanLinks, type ScannedLink } from './scan-links.ts'

/** A link of a note to something in the vault, with the offsets that rewriting it needs. */
export type NoteLink = ScannedLink & LinkTarget & { line: number; inProperty: boolean }

/** The links of a note in their order, without links in code and addresses with a scheme. */
export function linksOf(text: string): NoteLink[] {
  const inProperties = propertyLinks(text)
  const inProse = Array.from(proseBlocks(text), ({ start, end }) => scanLinks(text, start, end)).flat()
  const lines = lineCounter(text)
  return [
    ...inProperties.map((link) => ({ link, inProperty: true })),
    ...inProse.toSorted((a, b) => a.start - b.start).map((link) => ({ link, inProperty: false })),
  ].flatMap(({ link, inProperty }) => {
    const target = targetOf(text.slice(link.from, link.to), link.kind)
    return target ? [{ ...link, ...target, line: lines(link.start), inProperty }] : []
  })
}

function targetOf(destination: string, kind: ScannedLink['kind']): LinkTarget | undefined {
  const target = kind === 'wiki' ? wikiTarget(destination) : addressTarget(destination)
  return target && (target.target !== '' || target.fragment !== undefined) ? target : undefined
}

/** Returns the line of an offset. Offsets must be passed in ascending order. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let feed = text.indexOf('\n')
  return (offset) => {
    while (feed !== -1 && feed < offset) {
      line++
      feed = text.indexOf('\n', feed + 1)
    }
    return line
  }
}
