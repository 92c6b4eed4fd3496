/** Where an object goes that names no namespace. As with kubectl, `-n` also refuses what names another one. */
export interface Namespace {
  readonly name: string;
  readonly isOnly: boolean;
}

/** As in a fresh kubeconfig. */
export const defaultNamespace: Namespace = { name: 'default', isOnly: false };
