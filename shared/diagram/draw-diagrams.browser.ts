// The script of the diagram page. It gets the text of a diagram from the page around its frame and returns a picture.
import mermaid from 'mermaid'
import type { DiagramAnswer, DiagramColours, DiagramWish } from './diagram-page.ts'

// Limits of the library's work. A drawing that takes longer than the page waits is dropped with its frame.
const MAX_TEXT = 50_000
const MAX_EDGES = 500

const answer = (message: DiagramAnswer) => window.parent.postMessage(message, '*')

window.addEventListener('message', ({ source, data }: MessageEvent<DiagramWish>) => {
  if (source === window.parent) void draw(data)
})
answer({ ready: true })

async function draw({ id, text, colours }: DiagramWish) {
  try {
    mermaid.initialize(settings(colours))
    const { svg } = await mermaid.render(`diagram-${id}`, text)
    answer({ id, ...asPicture(svg) })
  } catch (thrown) {
    answer({ id, problem: thrown instanceof Error ? thrown.message : String(thrown) })
  } finally {
    document.body.replaceChildren(...document.querySelectorAll('body > script'))
  }
}

/** Gives the drawing its natural size and makes it well-formed XML. */
function asPicture(svg: string): { svg: string; width: number; height: number } {
  const drawing = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
  if (!drawing) throw new Error('There is nothing to draw.')
  const [, , width = 0, height = 0] = (drawing.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (!(width > 0 && height > 0)) throw new Error('There is nothing to draw.')
  drawing.setAttribute('width', String(width))
  drawing.setAttribute('height', String(height))
  drawing.style.removeProperty('max-width')
  return { svg: new XMLSerializer().serializeToString(drawing), width, height }
}

function settings({ dark, paper, ink, quiet, line, fill, accent }: DiagramColours) {
  return {
    startOnLoad: false,
    securityLevel: 'strict' as const,
    // A note must not loosen these settings.
    secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'htmlLabels', 'fontFamily'],
    maxTextSize: MAX_TEXT,
    maxEdges: MAX_EDGES,
    suppressErrorRendering: true,
    // HTML labels stay blank in a picture in some browsers.
    htmlLabels: false,
    // A picture can use system fonts only; measured with other fonts, words would not fit their boxes.
    fontFamily: 'system-ui, sans-serif',
    theme: 'base' as const,
    themeVariables: {
      darkMode: dark,
      background: paper,
      primaryColor: fill,
      primaryTextColor: ink,
      primaryBorderColor: accent,
      secondaryColor: fill,
      tertiaryColor: paper,
      lineColor: line,
      textColor: ink,
      noteBkgColor: fill,
      noteTextColor: ink,
      noteBorderColor: quiet,
      edgeLabelBackground: paper,
      fontSize: '15px',
    },
  }
}
