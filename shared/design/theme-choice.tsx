import { useState } from 'react'
import { chooseTheme, readTheme, themes } from './theme.ts'

const names = { system: 'System', light: 'Light', dark: 'Dark' }

type Props = { className: string; name: string }

/** The choice of a theme, which both apps show in their menus; it takes effect at once and is kept for this browser. */
export function ThemeChoice({ className, name }: Props) {
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
            }}
          />
          <span>{names[theme]}</span>
        </label>
      ))}
    </fieldset>
  )
}
