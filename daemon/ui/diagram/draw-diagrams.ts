import '../styles/diagram.css'
import { onPageColours, type Ground } from '../app/page-colour.ts'
import { createDiagramFrame } from './diagram-frame.ts'
import type { Picture } from './diagram-answer.ts'
import { diagramColours } from './diagram-colours.ts'

const MAX_DIAGRAMS = 50
/** Each diagram may have a picture for the screen and one for paper. */
const MOST_KEPT = 2 * MAX_DIAGRAMS

const frame = createDiagramFrame()
/** Pictures by text and colours, the latest last: a note is rendered again after every change. */
const drawn = new Map<string, Promise<Picture>>()
/** The diagrams in the page. They are drawn again when the colours change. */
const shown = new Map<HTMLImageElement, string>()

/**
 * Draws the Mermaid blocks among `places`, the code elements of a rendered note. The source stays in the page: it is
 * shown when a diagram cannot be drawn, and on request.
 */
export async function drawDiagrams(places: readonly HTMLElement[]): Promise<void> {
  await Promise.all(places.slice(0, MAX_DIAGRAMS).map(drawDiagram))
}

async function drawDiagram(code: HTMLElement) {
  const block = code.closest<HTMLElement>('.code')
  const text = code.textContent ?? ''
  if (!block || text.trim() === '') return
  block.setAttribute('aria-busy', 'true')
  try {
    const image = document.createElement('img')
    image.alt = `Diagram: ${text.trim().split('\n')[0]!.slice(0, 80)}`
    await showPicture(image, text)
    block.before(figureOf(image, block))
  } catch (thrown) {
    const why = document.createElement('p')
    why.className = 'diagram-problem'
    why.setAttribute('role', 'note')
    const reason = thrown instanceof Error ? thrown.message.split('\n')[0]!.replace(/:$/, '') : 'the reason is unknown'
    why.textContent = `This diagram could not be drawn: ${reason}`
    block.before(why)
  } finally {
    block.removeAttribute('aria-busy')
  }
}

async function showPicture(image: HTMLImageElement, text: string): Promise<void> {
  await load(image, await pictureOf(text, 'screen'))
  shown.set(image, text)
  whenIdle(() => void drawForPaper(image, text).catch(() => {}))
}

/**
 * On a dark screen, each picture gets a light copy for print. The copy is drawn in advance, because printing does not
 * wait for it. The editor has no such copies: it only holds the blocks that are in view.
 */
async function drawForPaper(image: HTMLImageElement, text: string): Promise<void> {
  if (!document.contains(image)) return
  const light = document.createElement('img')
  if (diagramColours('screen').dark) await load(light, await pictureOf(text, 'paper'))
  image.parentElement?.querySelector('.diagram-on-paper')?.remove()
  if (light.src === '') return
  light.className = 'diagram-on-paper'
  light.alt = image.alt
  image.after(light)
}

const whenIdle = (run: () => void) =>
  'requestIdleCallback' in window ? window.requestIdleCallback(run) : setTimeout(run, 500)

async function load(image: HTMLImageElement, { svg, width, height }: Picture): Promise<void> {
  image.width = width
  image.height = height
  // A drawing in an image element can neither run scripts nor load anything.
  const source = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  image.src = source
  await image.decode().finally(() => URL.revokeObjectURL(source))
}

function pictureOf(text: string, ground: Ground): Promise<Picture> {
  const colours = diagramColours(ground)
  const key = JSON.stringify([colours, text])
  const picture = drawn.get(key) ?? frame.draw(text, colours)
  drawn.delete(key)
  drawn.set(key, picture)
  picture.catch(() => drawn.delete(key)) // the next time is another attempt
  if (drawn.size > MOST_KEPT) drawn.delete(drawn.keys().next().value!)
  return picture
}

function drawAgain() {
  for (const [image, text] of shown)
    if (image.isConnected) void showPicture(image, text).catch(() => {})
    else shown.delete(image)
}

onPageColours(drawAgain)

/** The picture with a button that shows the source below it. */
function figureOf(image: HTMLImageElement, block: HTMLElement): HTMLElement {
  const figure = document.createElement('figure')
  figure.className = 'diagram'
  const held = document.createElement('div')
  held.className = 'diagram-picture'
  held.tabIndex = 0
  held.setAttribute('role', 'group')
  held.setAttribute('aria-label', 'Diagram')
  held.append(image)
  const source = document.createElement('button')
  source.type = 'button'
  source.className = 'diagram-source'
  const show = (isShown: boolean) => {
    block.hidden = !isShown
    source.textContent = isShown ? 'Hide source' : 'Source'
    source.setAttribute('aria-expanded', String(isShown))
  }
  source.addEventListener('click', () => show(block.hidden !== false))
  show(false)
  figure.append(held, source)
  const line = block.dataset['line']
  if (line !== undefined) figure.dataset['line'] = line
  return figure
}
