import type { ButtonHTMLAttributes } from 'react'

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: 'primary' | 'tinted' | 'plain' | 'quiet' | 'danger'
  size?: 'normal' | 'small'
  pending?: boolean
}

/** A button. While pending it keeps its place and focus, and does nothing. */
export function Button({ look = 'plain', size = 'normal', pending, className, onClick, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${look} button-${size} ${className ?? ''}`}
      aria-busy={pending || undefined}
      aria-disabled={pending || undefined}
      onClick={pending ? (event) => event.preventDefault() : onClick}
    />
  )
}
