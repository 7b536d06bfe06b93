// Draws the icons of the installed vault UI from its svg: `node test/browser/draw-icons.ts`.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../support/browser.ts'

const svg = await readFile(new URL('../../daemon/ui/styles/vault.svg', import.meta.url), 'utf8')
const icons = new URL('../../daemon/ui/install/', import.meta.url)
const browser = await openBrowser()
const page = await browser.newPage()

/** Draws an icon. `part` is the share of the picture that the drawing fills; the rest is background. */
async function draw(name: string, size: number, part: number) {
  await page.setViewportSize({ width: size, height: size })
  const ground = part === 1 ? 'none' : '#fff'
  const edge = (size * (1 - part)) / 2
  await page.setContent(
    `<style>body{margin:0;background:${ground}}svg{position:absolute;inset:${edge}px;width:${size * part}px}</style>${svg}`,
  )
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, icons)), omitBackground: part === 1 })
}

await draw('icon-192', 192, 1)
await draw('icon-512', 512, 1)
// Systems crop this icon to their own shape: a circle, or a square with round corners.
await draw('icon-maskable', 512, 0.6)
await draw('icon-touch', 180, 0.72)
await browser.close()
