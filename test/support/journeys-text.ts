import type { Journey } from '../journeys.ts'
import { imports, nameOf } from './source-imports.ts'

/**
 * Files that are left out because the reader of a journey already knows them: wire, kit, design tokens, tables and
 * configuration.
 */
const KNOWN = /^shared\/(wire|kit|design)\/|\/db\/|\/config\.ts$/

const pathsOf = ({ legs }: Journey) => legs.flatMap(({ files }) => files.map(([path]) => path))

/** Files after the first of their leg that no earlier file imports. */
export function unreached({ legs }: Journey): string[] {
  const before = new Set<string>()
  const lost: string[] = []
  for (const { files } of legs)
    for (const [index, [path]] of files.entries()) {
      if (index > 0 && !imports.some(({ from, to }) => to === path && before.has(from))) lost.push(path)
      before.add(path)
    }
  return lost
}

/** Files that are imported as values by the files of a journey, but that are not on its list. */
export function asideOf(journey: Journey): string[] {
  const paths = new Set(pathsOf(journey))
  const next = imports.filter(({ from, to, typeOnly }) => paths.has(from) && !typeOnly && !paths.has(to))
  const own = next.map(({ to }) => to).filter((to) => /\.tsx?$/.test(to) && !KNOWN.test(to))
  return [...new Set(own)]
}

/** The reading lists as Markdown: a numbered list for each journey. */
export function journeysText(journeys: readonly Journey[]): string {
  return journeys
    .map((journey) => {
      const paths = pathsOf(journey)
      let number = 0
      const legs = journey.legs.map(({ enters, files }) => {
        const lines = files.map(([path, does]) => `${(number += 1)}. [\`${nameOf(path)}\`](../${path}): ${does}`)
        return `${enters}\n\n${lines.join('\n')}`
      })
      return `### ${journey.name} (${paths.length} files)\n\n${legs.join('\n\n')}`
    })
    .join('\n\n')
}
