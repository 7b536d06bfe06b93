import { expect, it } from 'vitest'
import { joinPages, leaveOut, neighboursOf } from './graph.ts'

const note = (path: string) => ({ path, kind: 'note' as const, title: path.toUpperCase() })
const pages = [
  {
    nodes: [note('a'), note('b'), { path: 'f/x.png', kind: 'attachment' as const }],
    edges: [
      { from: 'a', to: 'b' },
      { from: 'a', to: 'f/x.png' },
    ],
    partial: false,
  },
  {
    nodes: [note('b'), note('c')],
    edges: [
      { from: 'b', to: 'a' },
      { from: 'b', to: 'gone' },
    ],
    partial: true,
  },
]

it('joins pages: a file once, links in both directions as one, unknown ends left out', () => {
  const { nodes, edges, partial } = joinPages(pages)
  expect(nodes.map(({ title, links }) => [title, links])).toEqual([
    ['A', 2],
    ['B', 1],
    ['x.png', 1],
    ['C', 0],
  ])
  expect([...edges]).toEqual([0, 1, 0, 2])
  expect(partial).toBe(true)
})

it('leaves out attachments and files without links, and counts places anew', () => {
  const graph = joinPages([{ ...pages[1]!, edges: [] }, pages[0]!])
  const left = leaveOut(graph, { attachments: true, alone: true })
  expect(left.nodes.map(({ path }) => path)).toEqual(['b', 'a'])
  expect([...left.edges]).toEqual([1, 0])
  expect(leaveOut(graph, { attachments: false, alone: false }).nodes).toHaveLength(4)
})

it('knows the neighbours of a file', () => {
  expect([...neighboursOf(joinPages(pages), 0)]).toEqual([1, 2])
  expect([...neighboursOf(joinPages(pages), 3)]).toEqual([])
})
