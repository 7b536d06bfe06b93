import { themes, type Theme } from '../wire/themes.ts'

const KEY = 'svc.theme'

/** The chosen theme; `system` where nothing is chosen or storage is closed. */
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

/** Shows a theme and keeps it for this browser. */
export function chooseTheme(theme: Theme) {
  showTheme(theme)
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Closed storage loses the choice at the next visit, nothing else.
  }
}
