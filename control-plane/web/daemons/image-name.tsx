/** An image reference; a digest is cut to its beginning, whole on hover. */
export function ImageName({ image }: { image: string }) {
  return (
    <code title={image} className="image-name">
      {imageWords(image)}
    </code>
  )
}

/** An image reference as text, its digest cut. */
export function imageWords(image: string): string {
  const [name = image, digest] = image.split('@')
  return digest === undefined ? name : `${name}@${digest.slice(0, 19)}…`
}
