import '../styles/pdf.css'
import { drawPage, openPdf, type Pdf, type PdfPage } from './open-pdf.ts'

type Wish = { url: string; name: string; page?: number | undefined }

/**
 * Shows a PDF in `place`: its pages one below another. A page is drawn when it comes near the screen and freed when it
 * is far away. Returns the function that closes the PDF.
 */
export async function showPdf(place: HTMLElement, { url, name, page = 1 }: Wish): Promise<() => void> {
  place.classList.add('pdf')
  place.setAttribute('aria-busy', 'true')
  let pdf: Pdf | undefined
  try {
    pdf = await openPdf(url)
    return await layOut({ place, pdf, name, page })
  } catch (thrown) {
    pdf?.close()
    place.replaceChildren(problem(thrown, { url, name }))
    return () => {}
  } finally {
    place.removeAttribute('aria-busy')
  }
}

async function layOut({ place, pdf, name, page }: { place: HTMLElement; pdf: Pdf; name: string; page: number }) {
  const first = (await pdf.page(1)).getViewport({ scale: 1 })
  const scroller = document.createElement('div')
  scroller.className = 'pdf-pages'
  scroller.tabIndex = 0
  scroller.setAttribute('role', 'group')
  scroller.setAttribute('aria-label', `${name}, ${pdf.pages} ${pdf.pages === 1 ? 'page' : 'pages'}`)
  const places = Array.from({ length: pdf.pages }, (_, at) => {
    const sheet = document.createElement('section')
    sheet.className = 'pdf-page'
    sheet.setAttribute('aria-label', `Page ${at + 1}`)
    // The size of the first page until the real one is known, so that the scroll bar is nearly right.
    sheet.style.aspectRatio = `${first.width} / ${first.height}`
    return sheet
  })
  scroller.append(...places)
  const count = document.createElement('p')
  count.className = 'pdf-count'
  const tellPage = () => {
    const middle = scroller.scrollTop + scroller.clientHeight / 2
    const at = places.findLastIndex((sheet) => sheet.offsetTop <= middle)
    count.textContent = `Page ${Math.max(at, 0) + 1} of ${pdf.pages}`
  }
  // A page cannot be drawn while the browser prints.
  const rest = document.createElement('p')
  rest.className = 'pdf-rest'
  rest.textContent = 'Only the pages that were looked at are printed. Download the file for the rest.'
  place.replaceChildren(scroller, count, rest)
  scroller.addEventListener('scroll', tellPage, { passive: true })

  const near = new Set<Element>()
  const opened = new Map<Element, PdfPage>()
  const draw = async (sheet: HTMLElement) => {
    const shown = await pdf.page(places.indexOf(sheet) + 1)
    if (!near.has(sheet)) return
    opened.set(sheet, shown)
    const { width, height } = shown.getViewport({ scale: 1 })
    sheet.style.aspectRatio = `${width} / ${height}`
    await drawPage(shown, { into: sheet, width: sheet.clientWidth })
  }
  const free = (sheet: Element) => {
    near.delete(sheet)
    sheet.replaceChildren()
    // What was read for the page would otherwise stay in memory as long as the PDF is open.
    opened.get(sheet)?.cleanup()
    opened.delete(sheet)
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) free(target)
        else if (!near.has(target)) {
          near.add(target)
          void draw(target as HTMLElement).catch(() => target.replaceChildren())
        }
      }
    },
    { root: scroller, rootMargin: '600px' },
  )
  places.forEach((sheet) => observer.observe(sheet))
  const wanted = places[Math.min(page, pdf.pages) - 1]
  if (wanted && page > 1) scroller.scrollTop = wanted.offsetTop
  tellPage()
  return () => {
    observer.disconnect()
    pdf.close()
  }
}

function problem(thrown: unknown, { url, name }: { url: string; name: string }): HTMLElement {
  const text = document.createElement('p')
  text.className = 'pdf-problem'
  const isLocked = thrown instanceof Error && thrown.name === 'PasswordException'
  text.append(isLocked ? `${name} needs a password. ` : `${name} could not be shown. `)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.textContent = 'Download it'
  text.append(link)
  return text
}
