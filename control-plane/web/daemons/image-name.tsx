/** An image reference. Only the beginning of a digest is shown; hovering shows all of it. */
export function ImageName({ image }: { image: string }) {
  return (
    <code title={image} className="image-name">
      {imageWords(image)}
    </code>
  )
}

/** An image reference as text, with a shortened digest. */
export function imageWords(image: string): string {
  const [name = image, digest] = image.split('@')
  return digest === undefined ? name : `${name}@${digest.slice(0, 19)}…`
}
