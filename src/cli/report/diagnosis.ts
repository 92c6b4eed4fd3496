import { diagnosisHtml } from './diagnosis-html.js';
import { diagnosisJson } from './diagnosis-json.js';
import { diagnosisMarkdown } from './diagnosis-markdown.js';
import { diagnosisText } from './diagnosis-text.js';

/** Each is one file. */
export const diagnosisFormats = {
  text: diagnosisText,
  json: diagnosisJson,
  markdown: diagnosisMarkdown,
  html: diagnosisHtml,
} as const;

export type DiagnosisFormat = keyof typeof diagnosisFormats;
