import * as pdfjs from 'pdfjs-dist'

// All PDFs share this worker. The library would end one of its own with the first PDF that is closed, and refuse to open
// others until then.
const worker = pdfjs.PDFWorker.create({
  port: new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' }),
})

export type Pdf = Awaited<ReturnType<typeof openPdf>>
export type PdfPage = pdfjs.PDFPageProxy

// The largest side of a page, in points; canvases have a limit above it.
const MAX_PIXELS = 16_000_000

/** Opens a PDF. Its parts are fetched as pages come into view, and no script in it runs. */
export async function openPdf(url: string) {
  const task = pdfjs.getDocument({
    url,
    worker,
    enableXfa: false,
    // The CSP of the page allows neither WebAssembly nor fonts from elsewhere.
    useWasm: false,
    useSystemFonts: true,
    disableAutoFetch: true,
    disableStream: true,
  })
  // A PDF that could not be opened cannot always be closed either.
  const close = () => void task.destroy().catch(() => {})
  try {
    const document = await task.promise
    return { pages: document.numPages, page: (number: number): Promise<PdfPage> => document.getPage(number), close }
  } catch (thrown) {
    close()
    throw thrown
  }
}

/** Draws one page at a width in CSS pixels, with its text over it for selection and screen readers. */
export async function drawPage(page: PdfPage, { into, width }: { into: HTMLElement; width: number }): Promise<void> {
  const scale = width / page.getViewport({ scale: 1 }).width
  const viewport = page.getViewport({ scale })
  const wanted = Math.min(window.devicePixelRatio, 2)
  const ratio = Math.min(wanted, Math.sqrt(MAX_PIXELS / (viewport.width * viewport.height)))

  const canvas = document.createElement('canvas')
  canvas.width = Math.floor(viewport.width * ratio)
  canvas.height = Math.floor(viewport.height * ratio)
  canvas.setAttribute('aria-hidden', 'true')
  const text = document.createElement('div')
  text.className = 'pdf-text'
  text.style.setProperty('--total-scale-factor', String(scale))
  into.replaceChildren(canvas, text)

  await page.render({ canvas, viewport, transform: [ratio, 0, 0, ratio, 0, 0], annotationMode: 0 }).promise
  await new pdfjs.TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport }).render()
}
