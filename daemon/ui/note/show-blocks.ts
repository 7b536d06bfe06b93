type Block = {
  node: ChildNode
  /**
   * The HTML of the block, with line numbers relative to its first line. It stays the same when lines above it are
   * added or removed.
   */
  html: string
  line: number
}

const shown = new WeakMap<Element, { note: string; blocks: readonly Block[] }>()

type Rendering = {
  content: DocumentFragment
  /** Identifies the note. Blocks of another note are never reused. */
  note: string
  /** Completes the new blocks before they are inserted into the page. */
  fill: (added: DocumentFragment) => void
}

/**
 * Replaces the last rendering of a note. Blocks before and after the change keep their nodes, and with them selection,
 * open details, drawings and playing media. If a removed block contained the focus, the same control in the new blocks
 * gets it.
 */
export function showBlocks(root: Element, { content, note, fill }: Rendering): void {
  const last = shown.get(root)
  // Another program, such as a translator of the page, may have replaced nodes.
  const isWhole = last?.note === note && last.blocks.every(({ node }) => node.parentNode === root)
  const before = isWhole ? last.blocks : []
  const after = [...content.childNodes].map(blockOf)
  const { head, tail } = sameEnds(before, after)
  const [changed, below] = [after.length - tail, before.length - tail]

  const isBlock = new Set(before.map(({ node }) => node))
  const from = head === 0 ? root.firstChild : before[head - 1]!.node.nextSibling
  const to = tail === 0 ? null : firstOf(before[below]!.node, isBlock)
  const stays = (old: Block, { node, line }: Block): Block => {
    node.remove()
    for (const part of nodesFrom(firstOf(old.node, isBlock), old.node.nextSibling)) moveLines(part, line - old.line)
    return { ...old, line }
  }
  const above = before.slice(0, head).map((old, nth) => stays(old, after[nth]!))
  const rest = before.slice(below).map((old, nth) => stays(old, after[changed + nth]!))
  shown.set(root, { note, blocks: [...above, ...after.slice(head, changed), ...rest] })

  fill(content)
  const gone = nodesFrom(from, to)
  const added = [...content.childNodes]
  root.insertBefore(content, gone[0] ?? to)
  // Pass the focus on before the old control is removed: the browser then keeps track of key or pointer focus.
  passFocus(gone, added)
  for (const node of gone) node.remove()
}

/** The number of equal blocks at the beginning and at the end. */
function sameEnds(before: readonly Block[], after: readonly Block[]): { head: number; tail: number } {
  const least = Math.min(before.length, after.length)
  let head = 0
  while (head < least && before[head]!.html === after[head]!.html) head++
  let tail = 0
  while (tail < least - head && before.at(-1 - tail)!.html === after.at(-1 - tail)!.html) tail++
  return { head, tail }
}

function blockOf(node: ChildNode): Block {
  if (!(node instanceof Element)) return { node, html: `${node.nodeName} ${node.nodeValue}`, line: 0 }
  const named = node.hasAttribute('data-line') ? node : node.querySelector('[data-line]')
  const line = Number(named?.getAttribute('data-line')) || 0
  moveLines(node, -line)
  const html = node.outerHTML
  moveLines(node, line)
  return { node, html, line }
}

/** Shifts the line numbers of blocks and tasks, by which the reading view finds its place in the text. */
function moveLines(node: ChildNode, by: number): void {
  if (by === 0 || !(node instanceof Element)) return
  for (const name of ['data-line', 'data-task'])
    for (const element of [node, ...node.querySelectorAll(`[${name}]`)]) {
      const line = element.getAttribute(name) ?? ''
      if (/^-?\d{1,15}$/.test(line)) element.setAttribute(name, String(Number(line) + by))
    }
}

/** The first node that belongs to a block. Nodes drawn for the block, such as a diagram, are inserted before it. */
function firstOf(block: ChildNode, isBlock: ReadonlySet<ChildNode>): ChildNode {
  let first = block
  while (first.previousSibling && !isBlock.has(first.previousSibling)) first = first.previousSibling
  return first
}

function nodesFrom(from: ChildNode | null, to: ChildNode | null): ChildNode[] {
  const nodes: ChildNode[] = []
  for (let node = from; node !== null && node !== to; node = node.nextSibling) nodes.push(node)
  return nodes
}

/** If a control in the removed nodes has the focus, passes the focus to the same control in the added nodes. */
function passFocus(gone: readonly ChildNode[], added: readonly ChildNode[]): void {
  const held = document.activeElement
  if (!held || !gone.some((node) => node.contains(held))) return
  const wanted = nameOf(held)
  const alike = (nodes: readonly ChildNode[]) => controlsIn(nodes).filter((control) => nameOf(control) === wanted)
  const heir = alike(added)[alike(gone).indexOf(held)]
  if (heir instanceof HTMLElement) heir.focus({ preventScroll: true })
}

const controlsIn = (nodes: readonly ChildNode[]) =>
  nodes.flatMap((node) =>
    node instanceof Element ? [...node.querySelectorAll('a[href], button, summary, input')] : [],
  )

const nameOf = (control: Element) => `${control.tagName} ${control.ariaLabel ?? control.textContent}`
