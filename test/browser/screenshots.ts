// Writes the pictures of docs/images from the running platform.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { wakingPage } from '../../control-plane/src/gateway/waking-page.ts'
import { openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startPlatform } from '../support/platform.ts'
import { signUpInBrowser } from '../support/sign-up-in-browser.ts'
import { copyVault } from '../support/vault.ts'
import { removeFolder } from '../support/remove-folder.ts'

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const program = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))

const platform = await startPlatform()
const browser = await openBrowser()
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
const home = await mkdtemp(join(tmpdir(), 'svc-screenshots-'))
await mkdir(join(home, 'vaults'))
await mkdir(images, { recursive: true })
const kind = await copyVault(join(home, 'vaults', 'help'))

/**
 * The looks of each page. The first is for the front page of the documentation, the others for the page about the
 * design.
 */
const looks = [
  { suffix: '', colorScheme: 'light', width: 1280, height: 800 },
  { suffix: '-dark', colorScheme: 'dark', width: 1280, height: 800 },
  { suffix: '-phone', colorScheme: 'light', width: 390, height: 844 },
] as const

/** Takes a picture of the page in each look. `come` waits until the page shows its subject. */
async function shoot(name: string, come: () => Promise<unknown>) {
  for (const { suffix, colorScheme, width, height } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height })
    // Give the page time to notice its new size before waiting for anything else.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300))))
    await come()
    await page.waitForFunction(() => document.fonts.status === 'loaded' && document.querySelector('.loading') === null)
    await page.screenshot({ path: join(images, `${name}${suffix}.png`) })
    console.log(`docs/images/${name}${suffix}.png`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(looks[0])
}

await signUpInBrowser(page, platform)
await page.getByText('Choose self-hosted').click()
await page.getByLabel('Name').first().fill('Acme Notes')
await page.getByRole('button', { name: 'Create organization' }).click()
await page.getByText('Waiting for the host to connect').waitFor()
await page.getByText('SVC_RELAY_URL').first().waitFor()
const text = await page.locator('main').innerText()
const env = {
  PATH: process.env.PATH,
  SVC_HOME: home,
  SVC_PORT: String(await freePort()),
  SVC_LOG_LEVEL: 'error',
  SVC_RELAY_URL: /SVC_RELAY_URL=(\S+)/.exec(text)?.[1] ?? '',
  SVC_RELAY_TOKEN: /svc_dmn_\w+/.exec(text)?.[0] ?? '',
}
const daemon = spawn(process.execPath, [program], { env, stdio: 'inherit' })
await page.getByText('help').first().waitFor()
await page.goto(platform.origin)
await page.getByRole('link', { name: /^Open/ }).first().waitFor()
await shoot('home', () => page.getByRole('link', { name: /^Open/ }).first().waitFor())

await page.getByRole('link', { name: /^Open/ }).first().click()
const tree = page.getByRole('tree')
await tree.getByRole('treeitem', { name: kind === 'real' ? 'Linking notes and files' : 'Plans' }).click()
await tree
  .getByRole('treeitem', { name: kind === 'real' ? 'Callouts' : 'Roadmap' })
  .or(tree.getByRole('treeitem', { name: 'Internal links' }))
  .first()
  .click()
await page.getByRole('article', { name: 'Note' }).waitFor()
// Wait until the vault has been read.
for (const text of ['Looking for links…', 'Not everything has been looked at yet'])
  await page.getByText(text).waitFor({ state: 'detached' })
await shoot('vault', () => page.getByRole('article', { name: 'Note' }).waitFor())
const vault = new URL('/v/help', page.url()).href
await page.getByRole('button', { name: 'Edit' }).click()
await shoot('editor', () => page.getByRole('textbox', { name: 'Note text' }).waitFor())
await page.getByRole('button', { name: 'Read', exact: true }).click()

await page.goto(`${vault}?view=graph`)
await shoot('graph', () => page.locator('canvas[data-layout=settled][data-drawn=whole]').waitFor())
await page.goto(vault)
await page
  .getByText('Nothing new since you last looked')
  .or(page.getByRole('region', { name: 'New since you last looked' }))
  .first()
  .waitFor()
const plans = join(home, 'vaults', 'help', 'Club')
await mkdir(plans)
await writeFile(join(plans, 'Autumn walk.md'), '# Autumn walk\n\nMeet at the mill at nine.\n')
await writeFile(join(plans, 'Shopping.md'), '# Shopping\n\n- [ ] bread\n- [ ] pears\n')
const news = page.getByRole('region', { name: 'New since you last looked' }).getByText('Autumn walk')
await news.waitFor()
await tree.getByRole('treeitem', { name: 'Club' }).click()
await shoot('news', () => news.waitFor())

// Open the page directly: a starting host would be ready before three pictures are taken.
const waking = { secure: false, baseUrl: platform.origin, target: '/v/help/Club/Autumn%20walk.md', waitedSeconds: 4 }
await page.goto('about:blank')
await page.setContent(wakingPage(waking).body.replace(/<meta http-equiv="refresh"[^>]*>/, ''))
await shoot('waking', () => page.getByText('Starting and connecting').waitFor())

await browser.close()
const over = once(daemon, 'exit')
daemon.kill('SIGTERM')
await over
await platform.remove()
await removeFolder(home)
