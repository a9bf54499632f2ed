import DefaultTheme from 'vitepress/theme';
// oxlint-disable-next-line import/no-unassigned-import -- VitePress loads style sheets like this
import './accessibility.css';
// oxlint-disable-next-line import/no-unassigned-import -- see above
import './diagrams.css';

export default DefaultTheme;
