/** Shows the PDFs that a rendered note embeds, each when it comes near the screen; the viewer is loaded then. */
export function fillPdfs(root: ParentNode): void {
  const places = [...root.querySelectorAll<HTMLElement>('[data-pdf]')]
  if (places.length === 0) return
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        near.unobserve(target)
        void fillPdf(target as HTMLElement)
      }
    },
    { rootMargin: '600px' },
  )
  places.forEach((place) => near.observe(place))
}

async function fillPdf(place: HTMLElement) {
  const { pdf: url = '', page, name = '' } = place.dataset
  const { showPdf } = await import('../pdf/show-pdf.ts')
  const close = await showPdf(place, { url, name, page: page === undefined ? undefined : Number(page) })
  // The viewer holds an open PDF, so it is not freed with its element. An element that leaves the page loses its size.
  const observer = new ResizeObserver(() => {
    if (place.isConnected) return
    observer.disconnect()
    close()
  })
  if (place.isConnected) observer.observe(place)
  else close()
}
