import type { Building } from '../floors.ts'

const shown = (name: string) => name.replace('*.routes', 'routes').replace('.ts', '')

/** One part: the highest floor on top, an arrow to the floor beneath it. */
function subgraph({ root, floors }: Building, index: number): string[] {
  const id = (height: number) => `b${index}f${height}`
  const nodes = floors.map((names, height) => `    ${id(height)}["${names.map(shown).join(' · ')}"]`).toReversed()
  const arrows = floors.slice(1).map((_, height) => `    ${id(height + 1)} --> ${id(height)}`)
  return [`  subgraph b${index} ["${root}"]`, '    direction TB', ...nodes, ...arrows.toReversed(), '  end']
}

/** The floors of all parts as a mermaid diagram. */
export function floorsPicture(buildings: readonly Building[]): string {
  return ['```mermaid', 'flowchart TB', ...buildings.flatMap(subgraph), '```'].join('\n')
}
