import DefaultTheme from 'vitepress/theme';
// oxlint-disable-next-line import/no-unassigned-import -- VitePress loads style sheets like this
import './accessibility.css';

export default DefaultTheme;
