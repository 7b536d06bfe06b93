import { themes, type Theme } from '../wire/themes.ts'

const KEY = 'svc.theme'

/** The chosen theme; `system` when nothing is chosen or storage is unavailable. */
export function readTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Shows a theme; `system` leaves the choice to the browser. */
export function showTheme(theme: Theme) {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

/** Shows a theme and stores it in this browser. */
export function chooseTheme(theme: Theme) {
  showTheme(theme)
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Without storage the choice is lost at the next visit, nothing else.
  }
}
