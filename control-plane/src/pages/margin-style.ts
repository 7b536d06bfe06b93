import { createHash } from 'node:crypto'

/** The values of `shared/design/tokens.css` that the pages use; a test compares them. */
export const tokens: Readonly<Record<string, string>> = {
  '--paper': 'light-dark(oklch(0.994 0.002 250), oklch(0.218 0.022 264))',
  '--raised': 'light-dark(oklch(1 0 0), oklch(0.262 0.025 264))',
  '--hair': 'light-dark(oklch(0.895 0.011 252), oklch(0.315 0.024 262))',
  '--ink': 'light-dark(oklch(0.262 0.042 264), oklch(0.915 0.012 250))',
  '--ink-quiet': 'light-dark(oklch(0.462 0.034 260), oklch(0.74 0.022 254))',
  '--blue': 'light-dark(oklch(0.43 0.15 262), oklch(0.8 0.095 256))',
  '--blue-deep': 'light-dark(oklch(0.36 0.14 262), oklch(0.87 0.065 254))',
  '--on-blue': 'light-dark(oklch(1 0 0), oklch(0.19 0.03 264))',
  '--rule': 'light-dark(oklch(0.79 0.1 14), oklch(0.5 0.105 12))',
  '--pencil-line': 'light-dark(oklch(0.6 0.17 326), oklch(0.7 0.14 326))',
  '--good': 'light-dark(oklch(0.45 0.098 160), oklch(0.8 0.12 160))',
  '--focus': 'light-dark(oklch(0.5 0.2 262), oklch(0.84 0.09 250))',
  '--font-text': "'Literata Variable', 'Iowan Old Style', 'Noto Serif', Georgia, serif",
  '--font-ui': "'Atkinson Hyperlegible Next Variable', system-ui, 'Segoe UI', 'Noto Sans', sans-serif",
  '--font-code': "'Atkinson Hyperlegible Mono Variable', ui-monospace, Menlo, Consolas, monospace",
}

/** The longest wait that the line of a page shows. */
export const MOST_SECONDS = 30
const FILL_SECONDS = 12

// A policy without inline styles allows no attribute, so each second has a class.
const sinceClasses = Array.from(
  { length: MOST_SECONDS + 1 },
  (_, seconds) => `.steps .since-${seconds}::before{animation-delay:-${seconds}s}`,
).join('')

/**
 * The style of pages without a script, in the design of both apps. It loads nothing: such a page is shown for seconds,
 * and a vault origin serves no fonts of the control plane.
 */
export const marginStyle = `
:root{color-scheme:light dark;--margin-w:320px;--indent:28px;${Object.entries(tokens)
  .map(([name, value]) => `${name}:${value}`)
  .join(';')}}
*,*::before,*::after{box-sizing:border-box}
body{position:relative;margin:0;min-height:100dvh;background:var(--paper);color:var(--ink);font:400 16px/1.5 var(--font-ui);overflow-wrap:anywhere}
body::before{content:'';position:absolute;inset-block:0;left:var(--margin-w);width:1.5px;background:var(--rule)}
.brand{position:absolute;top:19px;left:28px;display:flex;gap:10px;align-items:center;font-size:17px;font-weight:600;line-height:22px}
main{max-width:calc(var(--margin-w) + var(--indent) + 660px);padding:clamp(96px,22vh,190px) 28px 64px calc(var(--margin-w) + var(--indent))}
.top{padding-top:96px}
h1,h2{margin:0;font-family:var(--font-text);font-weight:600;line-height:1.25;letter-spacing:-.01em}
h1{font-size:34px}h2{font-size:20px}
p{margin:8px 0 0}.lead{font:400 18px/28px var(--font-text)}.quiet{color:var(--ink-quiet);font-size:14px}
a{color:var(--blue);text-underline-offset:3px}a:hover{color:var(--blue-deep)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.button{display:inline-block;margin-top:4px;padding:8px 16px;border-radius:5px;background:var(--blue);color:var(--on-blue);text-decoration:none;font-weight:550}
.button:hover{background:var(--blue-deep);color:var(--on-blue)}
.aside{position:absolute;right:calc(100% + var(--indent) + 20px);white-space:nowrap;text-align:right;color:var(--ink-quiet);font-size:14px;font-feature-settings:'zero' 0}
.steps{margin:32px 0;padding:0;list-style:none}
.steps li{position:relative;display:flex;gap:8px;align-items:center;min-height:40px}
.steps .done::before,.steps .now::before{content:'';position:absolute;inset-block:0;left:calc(-1 * var(--indent) - 2.75px);width:7px;background:var(--blue)}
.steps .now{font-weight:600}.steps .now .aside{color:var(--ink)}
.steps .now::before{transform-origin:top;animation:fill ${FILL_SECONDS}s linear both}
.steps svg{color:var(--good)}
@keyframes fill{from{transform:scaleY(.08)}to{transform:scaleY(1)}}${sinceClasses}
@media(prefers-reduced-motion:reduce){.steps .now::before{animation:none;transform:scaleY(.5)}}
article{position:relative;margin-top:28px;padding-top:20px;border-top:1px solid var(--hair)}
code{font:400 13px/1.5 var(--font-code)}
@media(max-width:1000px){:root{--margin-w:160px}}
@media(max-width:640px){:root{--margin-w:24px;--indent:20px}.brand{left:calc(var(--margin-w) + var(--indent))}main{padding-inline-end:16px}
h1{font-size:28px}.aside{position:static;text-align:start}.steps li{flex-wrap:wrap}.steps .aside{min-width:4em}}
@media print{.brand,body::before{display:none}}
`

/** The source of this style in a content security policy. */
export const marginStyleSource = `'sha256-${createHash('sha256').update(marginStyle).digest('base64')}'`
