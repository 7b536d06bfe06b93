import type { Building } from '../floors.ts'
import { imports, sources, type Import } from './source-imports.ts'

/** The name under which a file appears in the `floors` of its building. */
export function placeOf({ root, floors }: Building, path: string): string {
  const inside = path.slice(root.length + 1)
  const [folder = '', ...rest] = inside.split('/')
  const named = (name: string) => floors.some((floor) => floor.includes(name))
  if (named(inside)) return inside
  if (inside.endsWith('.routes.ts') && named('*.routes')) return '*.routes'
  return rest.length === 0 ? 'app' : folder
}

const isInside = ({ root }: Building, path: string) => path.startsWith(`${root}/`)

/** The height of a file, 0 for the lowest floor; -1 when its folder has no floor. */
function heightOf(building: Building, path: string): number {
  const place = building.misplaced[path.slice(building.root.length + 1)]?.floor ?? placeOf(building, path)
  return building.floors.findIndex((floor) => floor.includes(place))
}

/** Source files whose folder has no floor. */
export const withoutFloor = (building: Building) =>
  sources.filter((path) => isInside(building, path) && heightOf(building, path) < 0)

/** Imports of a higher floor. */
export const upward = (building: Building): Import[] =>
  imports.filter(
    ({ from, to }) =>
      isInside(building, from) && isInside(building, to) && heightOf(building, from) < heightOf(building, to),
  )

/** Entries of `misplaced` that permit no existing import, or that name no source. */
export const needless = (building: Building): string[] =>
  Object.keys(building.misplaced).filter((path) => {
    const { [path]: _, ...misplaced } = building.misplaced
    return (
      !sources.includes(`${building.root}/${path}`) ||
      upward({ ...building, misplaced }).length <= upward(building).length
    )
  })
