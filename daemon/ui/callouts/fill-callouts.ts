const MOST = 500

/** Gives the callouts of a rendered note their icons, which are loaded with the first callout. */
export async function fillCallouts(root: ParentNode): Promise<void> {
  const titles = [...root.querySelectorAll<HTMLElement>('.callout > .callout-title')].slice(0, MOST)
  if (titles.length === 0) return
  const { calloutIcon } = await import('./callout-icons.tsx')
  for (const title of titles)
    if (!title.querySelector('.callout-icon')) title.prepend(calloutIcon(title.parentElement?.dataset['look'] ?? ''))
}
