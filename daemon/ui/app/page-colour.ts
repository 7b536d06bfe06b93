/** `screen` follows the theme of the page; `paper` is always light. */
export type Ground = 'screen' | 'paper'

/** A colour of the page as `#rrggbb`: a canvas understands neither oklch() nor custom properties. */
export function pageColour(token: string, ground: Ground = 'screen'): string {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d')!
  canvas.fillStyle = colourOn(ground, token)
  canvas.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

function colourOn(ground: Ground, token: string): string {
  const probe = document.createElement('i')
  if (ground === 'paper') probe.style.colorScheme = 'light'
  probe.style.color = `var(${token})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/**
 * Calls `changed` when the colours of the page may have changed: another theme was chosen, the system switched between
 * light and dark, or forced colours were switched on or off. Returns a function that stops listening.
 */
export function onPageColours(changed: () => void): () => void {
  const chosen = new MutationObserver(changed)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  const system = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => window.matchMedia(query))
  for (const query of system) query.addEventListener('change', changed)
  return () => {
    chosen.disconnect()
    for (const query of system) query.removeEventListener('change', changed)
  }
}
