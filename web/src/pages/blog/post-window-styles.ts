/** The post window shows parts of another page: this page carries the styles of those, too. */
import '../../sections/closing-call.module.css';
import '../../sections/post-meta.module.css';
import '../../ui/prose.module.css';
