import { useState } from 'react'
import { themes, type Theme } from '../wire/themes.ts'
import { chooseTheme, readTheme } from './chosen-theme.ts'

const names = { system: 'System', light: 'Light', dark: 'Dark' }

type Props = { className: string; name: string; onChosen: (theme: Theme) => void }

/** The choice of a theme, in the menus of both apps; it takes effect at once, and `onChosen` stores it. */
export function ThemeChoice({ className, name, onChosen }: Props) {
  const [chosen, setChosen] = useState(readTheme)
  return (
    <fieldset className={className}>
      <legend>Theme</legend>
      {themes.map((theme) => (
        <label key={theme}>
          <input
            type="radio"
            name={name}
            checked={chosen === theme}
            onChange={() => {
              chooseTheme(theme)
              setChosen(theme)
              onChosen(theme)
            }}
          />
          <span>{names[theme]}</span>
        </label>
      ))}
    </fieldset>
  )
}
