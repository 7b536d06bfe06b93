import DOMPurify from 'dompurify'

const purifier = DOMPurify()

const OWN_SOURCE = /^(?:\/api\/vaults\/|data:image\/(?:png|gif|jpeg|webp);base64,)/i

// Rendered notes never load from other hosts; this guarantees it even if the renderer has a defect.
purifier.addHook('afterSanitizeAttributes', (node) => {
  const source = node.getAttribute('src')
  if (source !== null && !OWN_SOURCE.test(source)) node.removeAttribute('src')
  if (node.tagName === 'A' && !/^[/#]/.test(node.getAttribute('href') ?? '/')) {
    node.setAttribute('target', '_blank')
    node.setAttribute('rel', 'noopener noreferrer')
  }
})

// A PDF is only fetched from an attachment of a vault.
purifier.addHook('uponSanitizeAttribute', (_node, attribute) => {
  if (attribute.attrName === 'data-pdf' && !attribute.attrValue.startsWith('/api/vaults/')) attribute.keepAttr = false
})

/** The second defence after the renderer: its output is safe to insert into the page. */
export function sanitize(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    USE_PROFILES: { html: true },
    ADD_ATTR: ['target'],
    FORBID_TAGS: ['style', 'form', 'iframe', 'template'],
    FORBID_ATTR: ['style', 'srcset', 'poster'],
    RETURN_DOM_FRAGMENT: true,
  })
}
