import { readFileSync } from 'node:fs'

/** Linear sRGB, each channel 0 to 1. */
type Colour = readonly [number, number, number]
type Theme = 'light' | 'dark'

/** Reads the colours of shared/design/tokens.css, written as `light-dark(oklch(…), oklch(…))`, for one theme. */
export function tokenColours(file: string, theme: Theme): Map<string, Colour> {
  const colours = new Map<string, Colour>()
  const css = readFileSync(file, 'utf8')
  for (const [, name, light, dark] of css.matchAll(
    /--([a-z0-9-]+): light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\)/g,
  )) {
    const [lightness, chroma, hue] = (theme === 'light' ? light! : dark!).split(' ').map(Number)
    colours.set(name!, fromOklch(lightness!, chroma!, hue!))
  }
  return colours
}

/** Contrast ratio of two colours, 1 to 21: WCAG 2.2, relative luminance. */
export function contrast(one: Colour, other: Colour): number {
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

const luminance = ([red, green, blue]: Colour) => 0.2126 * red + 0.7152 * green + 0.0722 * blue

/** OKLCH to linear sRGB, with the matrices of CSS Color 4; clipped to the gamut. */
function fromOklch(lightness: number, chroma: number, hue: number): Colour {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clipped = (channel: number) => Math.min(1, Math.max(0, channel))
  return [
    clipped(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clipped(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clipped(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}
