/** A current colour of the page as `#rrggbb`: a canvas understands neither oklch() nor custom properties. */
export function pageColour(token: string): string {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d')!
  canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(token)
  canvas.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** Calls back when the colours of the page may have changed: another theme was chosen, or the system turned dark. */
export function onPageColours(changed: () => void): () => void {
  const chosen = new MutationObserver(changed)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', changed)
  return () => {
    chosen.disconnect()
    system.removeEventListener('change', changed)
  }
}
