import type { Level } from './coarsen.ts'

/** The radius of the disc that one file gets; `n` files get a disc of `n` times the area. */
const ROOM = 18
/** The golden angle: points that each turn by this angle fill a disc evenly. */
const TURN = Math.PI * (3 - Math.sqrt(5))

/** Rough positions for the places of a level, in a disc around the origin. */
export function inDisc({ count, masses }: Level): Float32Array {
  const places = new Float32Array(2 * count)
  let before = 0
  for (let at = 0; at < count; at++) {
    put(places, at, { x: 0, y: 0, radius: radiusFor(before + masses[at]! / 2), angle: at * TURN })
    before += masses[at]!
  }
  return places
}

/** Rough positions for the places of a level, each in a disc around the position of its group. */
export function aroundGroups({ groups, masses }: Level, groupPlaces: Float32Array): Float32Array {
  const places = new Float32Array(2 * masses.length)
  const before = new Uint32Array(groupPlaces.length / 2)
  groups!.forEach((group, at) => {
    const [x, y] = [groupPlaces[2 * group]!, groupPlaces[2 * group + 1]!]
    put(places, at, { x, y, radius: radiusFor(before[group]! + masses[at]! / 2), angle: at * TURN })
    before[group]! += masses[at]!
  })
  return places
}

const radiusFor = (mass: number) => ROOM * Math.sqrt(mass)

type Spot = { x: number; y: number; radius: number; angle: number }

function put(places: Float32Array, at: number, { x, y, radius, angle }: Spot): void {
  places[2 * at] = x + radius * Math.cos(angle)
  places[2 * at + 1] = y + radius * Math.sin(angle)
}
