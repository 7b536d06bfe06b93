import { escapeHtml } from './escape-html.ts'
import { marginStyle, marginStyleSource } from './margin-style.ts'

type Page = {
  title: string
  /** HTML. The caller escapes everything that it did not write itself. */
  content: string
  /** The page reloads itself after this time. */
  refreshSeconds?: number
}

/** The content security policy of these pages: no script, no external resources, and only their own style. */
export const marginPagePolicy = [
  `default-src 'none'`,
  `style-src ${marginStyleSource}`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

// The mark of the product, as in shared/design/mark.tsx.
const MARK = `<svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true"><rect x=".75" y=".75" width="20.5" height="20.5" rx="3.5" fill="var(--raised)" stroke="var(--ink)" stroke-width="1.5"/><path d="M7.5 1v20" stroke="var(--rule)" stroke-width="1.75"/><path d="M10.5 7h7.5M10.5 15h4" stroke="var(--ink)" stroke-width="2"/><path d="M10.5 11h6" stroke="var(--pencil-line)" stroke-width="2" stroke-dasharray="1.5 1.25"/></svg>`

/**
 * A page that the control plane itself serves, without a script, in the design of the apps: a sheet with its margin.
 */
export function marginPage({ title, content, refreshSeconds }: Page): string {
  const refresh = refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">`
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `${refresh}<title>${escapeHtml(title)}</title><style>${marginStyle}</style></head>` +
    `<body><header class="brand">${MARK}svc</header>${content}</body></html>`
  )
}
